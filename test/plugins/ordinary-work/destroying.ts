/** Commands of the system's own scripts that shell-guard refuses rightly, because an agent must not run them unasked. */
export const DESTROYING: readonly (readonly [effect: string, pattern: RegExp])[] = [
  ["a tree of the system is removed", /\brm\s+(?:-\w+\s+)*-\w*r[^\n;]*\s["']?\/(?:etc|usr|var)\//],
  ["files below a folder of the system are removed", /\bfind\s+["']?\/(?:etc|usr|var)\/[\s\S]*(?:-delete|rm|rmdir)\b/],
  ["a cleaner of packages removes files of the system", /\bdpkg -L\b[\s\S]*\bfind\b[\s\S]*\brm(?:dir)?\b/],
  ["a variable in front of a bare slash is removed", /\brm -rf \$\w+\/(?:\s|$)/m],
  [
    "git throws uncommitted work away",
    /\bgit\s+(?:clean\s[^\n]*-\w*[fx]|reset\s[^\n]*--hard|checkout\s[^\n]*(?:-f\b|\s\.(?:\s|$)))/m,
  ],
];
