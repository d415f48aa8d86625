import { shellWord } from '#domain/tools/shell-word.ts'
import type { CommandInput } from '#domain/tools/command.ts'
import type { CallPresentation, PresentContext } from '#domain/tools/tool.ts'
import { commandEnvironment } from '#sandbox/bwrap/command-environment.ts'
import { proxyEnvironment } from '#sandbox/bwrap/domain-network.ts'
import { gitVariables } from '#sandbox/git/git-files.ts'
import { markName } from '#sandbox/unconfined/run-unconfined.ts'
import { makePresentation } from '../../presentations/make-presentation.ts'
import { titleLine } from '../../presentations/structured.ts'
import { textWarnings } from '../../presentations/text-warnings.ts'
import { commandFacts, factsOf } from '../facts/command-facts.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { storeNamedFiles } from './store-files.ts'
import { inspectInWorkspace } from '../facts/named-files.ts'
import { secretName } from '#policy/names/secret-names.ts'

/**
 * The presentation of a command: a vector word by word, or the script as it is, with its facts
 * (api.md, presentation; dashboard.md, request).
 */
export async function presentCommand(
  place: CommandPlace,
  input: CommandInput,
  timeoutSeconds: number,
  context: PresentContext & { readonly toolHash: string },
): Promise<CallPresentation> {
  const { signal, workspace } = context
  const facts = await commandFacts(place, workspace, input, inspectInWorkspace(workspace, signal))
  const storedFiles = await storeNamedFiles(place, workspace, facts.files)
  const content = input.kind === 'exec' ? listText(input.argv) : input.script
  const bytes = input.kind === 'exec' ? `${JSON.stringify(input.argv)}\n` : input.script
  const secrets = facts.files.filter(({ path }) => secretName(path) !== null)
  const { running } = facts
  const text = input.kind === 'exec' ? input.argv.join('\n') : input.script
  const hasProxy = place.sandbox.works && Array.isArray(place.worker.sandbox.network)
  return {
    title: titleLine(
      `Run ${input.kind === 'exec' ? input.argv.map(shellWord).join(' ') : input.script}`,
    ),
    presentation: makePresentation({
      type: 'command',
      language: input.kind === 'exec' ? null : 'bash',
      content,
      metadata: {
        ...(input.kind === 'exec'
          ? { argv: [...input.argv] }
          : { commands: facts.vectors.map((vector) => [...vector]) }),
        cwd: input.cwd === '' ? '.' : input.cwd,
        timeoutSeconds,
        sandbox: { ...facts.sandbox, watched: watchedBounds(place) },
        environment: [
          ...Object.keys(commandEnvironment),
          ...gitVariables,
          ...(hasProxy ? Object.keys(proxyEnvironment) : []),
          ...(place.sandbox.works ? [] : [markName]),
        ],
        programs: facts.programs.map((program) => ({ ...program })),
        files: storedFiles.files.map((file) => ({ ...file })),
        runsWorkspaceCode: running.length > 0,
      },
      warnings: [
        ...sandboxWarnings(place),
        ...(running.length === 0
          ? []
          : [
              `It runs other code (${running.map(([name = '']) => shellWord(name)).join(', ')}): what that does is more than what is shown here.`,
            ]),
        ...secrets.map(
          ({ path }) => `It may read ${JSON.stringify(path)}, a key or environment file.`,
        ),
        ...textWarnings(text.split('\n')),
      ],
    }),
    facts: factsOf(facts, context.toolHash),
    content: Buffer.from(bytes),
    contentType: 'text/plain',
    named: storedFiles.bytes,
  }
}

/**
 * The bounds that the kernel does not enforce for a whole command (security.md 30), which are
 * polled instead.
 */
function watchedBounds({ sandbox }: CommandPlace): string[] {
  const { memory, processes } = sandbox.works ? sandbox.bounds : { memory: false, processes: false }
  return [
    ...(memory ? [] : ['memory']),
    ...(processes ? [] : ['processes']),
    'writtenBytes',
    ...(sandbox.works ? ['files'] : []),
  ]
}

function sandboxWarnings({ sandbox }: CommandPlace): string[] {
  return sandbox.works
    ? []
    : [
        `It will run without a sandbox: none works on the host of this run (${sandbox.problem}). It can then read, change and send everything that the operating-system user of Countersign can access there, including its data folder and keys; its zones do not limit it.`,
      ]
}

/**
 * One word a line, numbered, so that no space can hide where a word ends. A word of several lines,
 * such as a script, takes as many lines, each after a bar; no other word begins with a bar.
 */
function listText(argv: readonly string[]): string {
  return argv
    .map((word, index) => {
      const lines = word.split('\n')
      if (lines.length === 1) return `${index}  ${JSON.stringify(word)}\n`
      const indent = ' '.repeat(String(index).length)
      return lines
        .map((line, n) => `${n === 0 ? index : indent}  │${line === '' ? '' : ` ${line}`}\n`)
        .join('')
    })
    .join('')
}
