/**
 * By subcommand, options with a program that git runs, and an address that is one. Git takes long
 * options abbreviated.
 */
export const gitOptions: Readonly<Record<string, RegExp>> = {
  archive: /^--e|^--remote=ext::|^ext::/,
  clone: /^--(?:u|conf)|^-[A-Za-z]*u|^ext::/,
  daemon: /^--acc/,
  fetch: /^--upl|^ext::/,
  'fetch-pack': /^--(?:upl|exe)|^ext::/,
  // The value is in the same word; without one, the option takes none.
  grep: /^--op[a-z-]*=|^-[A-Za-z]*O./,
  instaweb: /^--ht|^-d/,
  'ls-remote': /^--(?:upl|exe)|^ext::/,
  pull: /^--upl|^ext::/,
  push: /^--(?:e|rec)|^ext::/,
  remote: /^ext::/,
  // All that follows it.
  'remote-ext': /\s/,
  'send-email': /^--(?:sendm|smtp-server(?!-)|to-|cc-|header-c)/,
  'send-pack': /^--(?:e|rec)|^ext::/,
  submodule: /^ext::/,
  svn: /^--authors-p/,
}
