import { gitConfigRefuses } from './git-config.ts'
import { gitSubcommands } from './git-subcommands.ts'
import { flags, type Program } from './program.ts'

/** What a repository's own configuration could make git run, switched off by settings that win over it. */
const switchedOff = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
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

/** `.gitmodules` would win over the setting, and a repository within the repository names filters of its own. */
const noSubmodules = '--ignore-submodules=all'

/**
 * `git`, with what the repository could make it run switched off. Only names that git itself knows can be pre-approved:
 * any other may be an alias, which may run a shell.
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
  aliases: /^alias\.[^=]+=([^!]*)$/s,
  folderRuns: {
    marker: '.git',
    file: '.git/config',
    refuses: gitConfigRefuses,
    // With it the configuration that counts lies in another folder.
    without: '.git/commondir',
  },
  printed(words) {
    const at = words.findIndex((word) => !word.startsWith('-'))
    const diffs = ['diff', 'log', 'show', 'diff-tree', 'diff-index', 'diff-files']
    const name = words[at] ?? ''
    const behind = diffs.includes(name)
      ? ['--no-ext-diff', '--no-textconv', noSubmodules]
      : ['blame', 'grep', 'annotate'].includes(name)
        ? ['--no-textconv']
        : name === 'status'
          ? [noSubmodules]
          : []
    const before = [
      '--no-pager',
      '--no-optional-locks',
      ...switchedOff.flatMap((one) => ['-c', one]),
    ]
    return { before, after: at + 1, behind }
  },
}
