import type { ApprovalWord } from '#domain/policy/verdict.ts'
import type { CommandHost, CommandInput } from '#domain/tools/command.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { ShellPolicy, ShellRule } from '../worker-definition.ts'
import { analyseCommand } from './analyse-command.ts'
import { withLinkedPrograms } from './linked-programs.ts'
import { judgeCommand, type CommandVerdict } from '../judge/consent/judge-command.ts'

/** A rule as a worker file writes it: `'git log'`, its word, and the rest. */
export function rule(
  pattern: string,
  approval: ApprovalWord,
  more: Partial<Pick<ShellRule, 'description' | 'zones' | 'unlessArgs'>> = {},
): ShellRule {
  const consent = { approval, reason: null, source: 'workers/scribe.md:9' }
  return {
    pattern: pattern.split(' '),
    consent,
    description: null,
    zones: null,
    unlessArgs: [],
    ...more,
  }
}

/** Programs that only read, pre-approved. */
export const readers = [
  'cat',
  'echo',
  'find',
  'git log',
  'git status',
  'grep',
  'head',
  'ls',
  'sort',
].map((name) => rule(name, 'preApproved'))
const blocked = [
  rule('git push', 'blocked'),
  rule('git reset --hard', 'blocked'),
  rule('rm -rf', 'blocked'),
]
/** The readers, the rules that block, and one that asks. */
export const usual = [...readers, ...blocked, rule('git add', 'ask')]

/** A host with a sandbox, on which every program lies in `/usr/bin`. */
export const plainHost: CommandHost = {
  sandboxProblem: null,
  executable: async (name) => ({
    path: name.startsWith('/') ? name : `/usr/bin/${name}`,
    hash: '',
  }),
  realPath: async (path) => path,
  gitHas: async () => false,
  nestsRepositories: async () => false,
}

const nothing = async (): Promise<never> => {
  throw new Error('judging a command changes nothing')
}

/** A workspace at `/w` that holds nothing, or the texts of some files. */
export function workspaceOf(files: Readonly<Record<string, string>> = {}): Workspace {
  const names = Object.keys(files)
  return {
    root: '/w',

    hidden: [],
    async state(path) {
      const isFolder = names.some((name) => name.startsWith(`${path}/`))
      return { kind: names.includes(path) ? 'file' : isFolder ? 'directory' : 'absent', bytes: 0 }
    },
    read: async (path) => new TextEncoder().encode(files[path]),
    copy: nothing,
    list: nothing,
    write: nothing,
    remove: nothing,
    move: nothing,
  }
}

/** Judges a script, or an argument vector, by some rules. */
export async function judgeBy(
  rules: readonly ShellRule[],
  command: string | readonly string[],
  more: Partial<{
    otherwise: ShellPolicy['default']
    host: CommandHost
    workspace: Workspace
    cwd: string
    zones: Parameters<typeof judgeCommand>[2]['zones']
  }> = {},
): Promise<CommandVerdict> {
  const {
    otherwise = 'ask',
    host = plainHost,
    workspace = workspaceOf(),
    cwd = '',
    zones = [],
  } = more
  const input: CommandInput =
    typeof command === 'string'
      ? { kind: 'shell', script: command, cwd }
      : { kind: 'exec', argv: command, cwd }
  const policy = { default: otherwise, rules, source: 'workers/scribe.md:8' }
  const analysis = await withLinkedPrograms(analyseCommand(input), { host, root: workspace.root })
  return judgeCommand(policy, analysis, { host, workspace, cwd, zones })
}
