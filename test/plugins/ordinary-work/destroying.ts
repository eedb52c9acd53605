/** Commands of the system's own scripts that shell-guard refuses rightly, because an agent must not run them unasked. */
export const DESTROYING: readonly (readonly [effect: string, pattern: RegExp])[] = [
  ["a package is published", /\b(?:publish|np --no-publish|release-it|semantic-release)\b/],
  [
    "users, groups or their rights change",
    /\b(?:add|del)(?:user|group)\b|\b(?:user|group)(?:add|del|mod)\b|\bchpasswd\b|\bpasswd -|\bsetcap\b|\bchmod (?:u\+s|[46]\d{3})\b/,
  ],
  ["a service stops or no longer starts", /\b(?:systemctl|service|invoke-rc\.d|update-rc\.d|deb-systemd-invoke)\b/],
  ["a database cluster is removed with its data", /\bpg_dropcluster\b/],
  ["a volume is removed, or the boot changes", /\b(?:lvremove|update-grub)\b/],
  ["a user's start file or the list of users is overwritten", />\s*(?:~\/\.xinitrc|\/etc\/passwd)\b/],
  [
    "files without which the machine does not start change",
    /\/etc\/(?:pam\.d|ssh\/sshd)|\s["']?\/lib(?:64)?\/|\/boot\//,
  ],
  ["git forgets refs or files", /\bgit\s+(?:update-ref[^\n]*-d|checkout -- |tag -d|branch -D|rm -f)/],
  ["a tree of the system is removed", /\brm\s+(?:-\w+\s+)*-\w*r[^\n;]*\s["']?\/(?:etc|usr|var)\//],
  ["files below a folder of the system are removed", /\bfind\s+["']?\/(?:etc|usr|var)\/[\s\S]*(?:-delete|rm|rmdir)\b/],
  ["a cleaner of packages removes files of the system", /\bdpkg -L\b[\s\S]*\bfind\b[\s\S]*\brm(?:dir)?\b/],
  ["a variable in front of a bare slash is removed", /\brm -rf \$\w+\/(?:\s|$)/m],
  [
    "git throws uncommitted work away",
    /\bgit\s+(?:clean\s[^\n]*-\w*[fx]|reset\s[^\n]*--hard|checkout\s[^\n]*(?:-f\b|\s\.(?:\s|$)))/m,
  ],
];
