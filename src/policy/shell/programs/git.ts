import { valueIn } from '#domain/json/value-in.ts'
import { gitSubcommands } from './git-subcommands.ts'
import { flags, type Program } from './program.ts'

/**
 * By subcommand: options whose value is a program that git runs, and addresses that are programs.
 * Git accepts abbreviated long options.
 */
const gitOptions: Readonly<Record<string, RegExp>> = {
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
  // Everything after it.
  'remote-ext': /\s/,
  'send-email': /^--(?:sendm|smtp-server(?!-)|to-|cc-|header-c)/,
  'send-pack': /^--(?:e|rec)|^ext::/,
  submodule: /^ext::/,
  svn: /^--authors-p/,
}

/** Settings that switch off programs which a repository's own configuration could make git run. */
const switchedOff = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  // The service's own hooks, which add trailers; outside of a sandbox the folder does not exist.
  'core.hooksPath=/run/countersign/hooks',
  'core.pager=cat',
  'core.editor=false',
  'core.askPass=false',
  'core.sshCommand=false',
  'core.gitProxy=false',
  'core.alternateRefsCommand=false',
  'core.attributesFile=/dev/null',
  'sequence.editor=false',
  'credential.helper=',
  'gpg.program=false',
  'gpg.openpgp.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'gpg.ssh.defaultKeyCommand=false',
  'log.showSignature=false',
  'log.diffMerges=separate',
  'commit.verbose=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'status.submoduleSummary=false',
  'diff.external=',
  'diff.ignoreSubmodules=all',
  'submodule.recurse=false',
  'protocol.allow=never',
  'protocol.ext.allow=never',
  'protocol.fd.allow=never',
  'protocol.file.allow=never',
  'protocol.ftp.allow=never',
  'protocol.ftps.allow=never',
  'protocol.git.allow=never',
  'protocol.http.allow=never',
  'protocol.https.allow=never',
  'protocol.ssh.allow=never',
]

/** `.gitmodules` would override the setting, and a nested repository has filters of its own. */
const noSubmodules = '--ignore-submodules=all'

/**
 * `git`, without the programs that the repository could make it run. Only git's own command names
 * can be pre-approved: any other may be an alias, which may run a shell.
 */
export const gitProgram: Program = {
  names: ['git'],
  flags: flags('--no-pager --no-optional-locks --version'),
  readsFolder: true,
  subcommands: gitSubcommands,
  plainGlobals: [
    '-p',
    '-P',
    '--paginate',
    '--no-pager',
    '--bare',
    '--no-replace-objects',
    '--no-optional-locks',
    '--literal-pathspecs',
    '--glob-pathspecs',
    '--noglob-pathspecs',
    '--icase-pathspecs',
    '--no-lazy-fetch',
    '--no-advice',
  ],
  sameFlags: [
    ['-f', '--force'],
    ['-D', '--delete'],
    ['-a', '--all'],
  ],
  runsWith: [
    '-c',
    'rebase',
    'bisect',
    'submodule',
    'filter-branch',
    'difftool',
    'mergetool',
    'config',
  ],
  runsOption: gitOptions,
  runsItself: ['for-each-repo'],
  aliases: /^alias\.[^=]+=([^!]*)$/s,
  folderRuns: {
    marker: '.git',
    file: '.git/config',
    refuses: gitConfigRefuses,
    // If it exists, the effective configuration is in another folder.
    without: '.git/commondir',
    entersNested,
  },
  safeArguments(words) {
    const at = words.findIndex((word) => !word.startsWith('-'))
    const diffs = ['diff', 'log', 'show', 'diff-tree', 'diff-index', 'diff-files']
    const name = words[at] ?? ''
    const inserted = diffs.includes(name)
      ? ['--no-ext-diff', '--no-textconv', noSubmodules]
      : ['blame', 'grep', 'annotate'].includes(name)
        ? ['--no-textconv']
        : name === 'status'
          ? [noSubmodules]
          : []
    const leading = [
      '--no-pager',
      '--no-optional-locks',
      ...switchedOff.flatMap((setting) => ['-c', setting]),
    ]
    return { leading, insertAt: at + 1, inserted }
  },
}

/** Sections named by the repository that configure a program or include another file. */
const refusalReasons: Readonly<Record<string, string>> = {
  filter: 'the repository names a filter, a program that git would run',
  hook: 'the repository names a hook, a program that git would run',
  include: "the repository's configuration includes other files",
  includeif: "the repository's configuration includes other files",
  merge: 'the repository names a merge driver, a program that git would run',
  protocol: 'the repository allows protocols of its own, which are programs',
  trailer: 'the repository names a program for trailers',
}

/**
 * Why a repository's configuration prevents pre-approving `git`: an entry that no setting in the
 * call can switch off, because the repository chooses its name, or because it includes other files.
 * `null`: there is none.
 */
function gitConfigRefuses(text: string): string | null {
  // Wherever a section begins, also after another one or on a continued line. `[merge]` alone names
  // no driver.
  for (const [, name = '', nameMark] of text.matchAll(/\[\s*([A-Za-z0-9-]+)\s*(["'.]?)/g)) {
    const section = name.toLowerCase()
    const isNamed = !['merge', 'protocol'].includes(section) || nameMark !== ''
    const reason = valueIn(refusalReasons, section)
    if (isNamed && reason !== undefined) return reason
  }
  return /worktreeconfig/i.test(text)
    ? "the repository's configuration lies in a second file"
    : null
}

/**
 * Whether Git may ask each repository within the repository for its state, which runs the filters
 * of that one: `--ignore-submodules` does not exist for these commands, and `.gitmodules` overrides
 * the setting.
 */
function entersNested(words: readonly string[]): boolean {
  const name = words.find((word) => !word.startsWith('-')) ?? ''
  if (name === 'describe') return words.some((word) => /^--[db]/.test(word))
  return valueIn(gitSubcommands, name)?.writes === true
}
