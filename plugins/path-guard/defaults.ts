// The files that path-guard protects without settings. A pattern without a slash at the start counts at any depth.

/** Files with secrets, which no tool should read or write. */
export const SECRET_FILES: readonly string[] = [
  ...[".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "!.env.dist", "!.env.defaults"],
  ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*.key", "*key.pem", "*_rsa"],
  ...["*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk"],
  ...[".netrc", ".pgpass", ".git-credentials", ".htpasswd", ".vault-token", ".my.cnf"],
  ...["~/.npmrc", "~/.pypirc", "~/.aws/credentials", "~/.aws/sso", "~/.azure", "~/.config/gcloud", "~/.kube/config"],
  ...["~/.docker/config.json", "~/.config/gh/hosts.yml", "~/.gnupg", "~/.cargo/credentials*", "~/.gem/credentials"],
  ...["~/.terraform.d", "~/.config/op", "~/.password-store", "~/Library/Keychains", "~/.local/share/keyrings"],
  ...["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/proc/*/environ"],
];

/** Files that a program starts or trusts later. Tools may read these files. */
export const STARTED_FILES: readonly string[] = [
  ...[".git/hooks", ".git/config", ".husky/_"],
  ...["~/.ssh", "~/.gitconfig", "~/.config/git", "~/.aws", "~/.kube"],
  ...["~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases", "~/.profile", "~/.inputrc"],
  ...["~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.config/fish", "~/.xinitrc", "~/.xprofile"],
  ...["~/.config/autostart", "~/.config/systemd", "~/.config/environment.d", "~/Library/LaunchAgents"],
  ...["/etc", "/boot", "/Library/LaunchDaemons", "/Library/LaunchAgents", "/var/spool/cron"],
];
