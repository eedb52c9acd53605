// Commands that only read, for the modes that decide about every command.

import type { Call } from "./call.ts";
import { splitPrograms } from "./rows.ts";
import { argumentsOf } from "./table.ts";

const SAFE_RULES: readonly string[] = [
  "ls,pwd,cat,head,tail,wc,file,stat,du,df,tree,realpath,readlink,basename,dirname,echo,printf,true,false,test,[,:",
  "cd,pushd,popd,sleep,whoami,id,groups,hostname,uname,uptime,date,cal,which,whereis,type,locale,tty,nproc,free,arch",
  "grep,egrep,fgrep,uniq,cut,tr,nl,comm,diff,cmp,column,fold,paste,rev,tac,seq,expr,jq,md5sum,sha1sum,sha256sum,cksum",
  "rg !--pre|--pre-glob|--hostname-bin|-z|--search-zip",
  "sort !-o|--output|--compress-program|-T",
  "sed -n ~^-n ['\"]?\\d+(?:,\\d+)?p['\"]?(?:\\s|$)",
  "find,fd !-exec|-execdir|-ok|-okdir|-delete|-fprint|-fprint0|-fprintf|-fls|-x|-X|--exec|--exec-batch",
  "ps,pgrep,lsof,top,htop,vmstat,iostat,lscpu,lsblk,lsmod,lsusb,lspci,ss,netstat,dig,nslookup,host,ping",
  "command -v|-V",
  "git status|log|show|diff|blame|ls-files|ls-tree|rev-parse|rev-list|describe|shortlog|cat-file|merge-base|grep|name-rev !--output|--ext-diff|--textconv|-O|--open-files-in-pager",
  "git branch|tag|remote|stash list|show|-v",
  "git branch -a|-r|-v|--list|--show-current|--merged|--contains !-d|-D|-m|-M|-f|-c|-C",
  "git remote|tag|branch -v|-l|--list !-d|-D|-f",
  "git config --get|--list|-l|--get-all",
  "docker,podman ps|images|logs|inspect|version|info|top|stats|port|diff|history|search",
  "docker,podman image|container|volume|network|system|compose ls|list|inspect|df|ps|logs|config|images|info",
  "docker-compose ps|logs|config|images|ls",
  "kubectl,oc get|describe|logs|top|version|explain|api-resources|cluster-info !-w|--watch|--raw",
  "gh pr|issue|run|release|repo|workflow list|view|status|checks|diff !-w|--web",
  "go version|list|vet|doc !-w",
  "go env !-w|-u",
  "npm,pnpm,yarn ls|list|outdated|view|why|explain",
  "cargo tree|metadata|--version",
  "node,python,python3,ruby,go,cargo,npm,java,rustc -v|-V|--version ~^-{1,2}[vV]\\w*$",
];

/** The rules of each program, one a line. */
const SAFE = new Map<string, string>();
for (const rule of SAFE_RULES) {
  const [programs, text] = splitPrograms(rule);
  for (const program of programs) SAFE.set(program, SAFE.has(program) ? `${SAFE.get(program)}\n${text}` : text);
}

/** Whether a command is known to only read. Arguments from its input may change that. */
export function isSafe({ name, args, takesInput }: Call): boolean {
  if (args.length === 1 && (args[0] === "--version" || args[0] === "--help")) return true;
  const rows = takesInput ? undefined : SAFE.get(name);
  if (rows === undefined) return false;
  const given = argumentsOf(name, args);
  return rows.split("\n").some((text) => given.match(text));
}
