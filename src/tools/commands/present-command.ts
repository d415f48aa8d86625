import type { CommandInput } from '../../domain/command.ts'
import type { Presented, PresentContext } from '../../domain/tool.ts'
import { commandEnvironment } from '../../sandbox/bwrap/command-environment.ts'
import { markName } from '../../sandbox/unconfined/run-unconfined.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { oneLine } from '../presentations/structured.ts'
import { textWarnings } from '../presentations/text-warnings.ts'
import { commandFacts, factsOf } from './command-facts.ts'
import type { CommandPlace } from './command-place.ts'
import { keepFiles } from './keep-files.ts'
import { runsWorkspaceCode } from './command-vectors.ts'
import { secretName } from '../../policy/names/secret-names.ts'

/**
 * What an approver is shown of a command: a vector word by word, or the script as it is, with what it rests on (api.md,
 * presentation; dashboard.md, request).
 */
export async function presentCommand(
  place: CommandPlace,
  input: CommandInput,
  timeoutSeconds: number,
  context: PresentContext & { readonly toolHash: string },
): Promise<Presented> {
  const found = await commandFacts(place, context.workspace, input)
  const kept = await keepFiles(place, context.workspace, found.files)
  const content = input.kind === 'exec' ? listed(input.argv) : input.script
  const bytes = input.kind === 'exec' ? `${JSON.stringify(input.argv)}\n` : input.script
  const secrets = found.files.filter(({ path }) => secretName(path) !== null)
  const running = found.vectors.filter(runsWorkspaceCode)
  const text = input.kind === 'exec' ? input.argv.join('\n') : input.script
  return {
    title: oneLine(`Run ${input.kind === 'exec' ? input.argv.map(shown).join(' ') : input.script}`),
    presentation: makePresentation({
      type: 'command',
      language: input.kind === 'exec' ? null : 'bash',
      content,
      metadata: {
        ...(input.kind === 'exec'
          ? { argv: [...input.argv] }
          : { commands: found.vectors.map((vector) => [...vector]) }),
        cwd: input.cwd === '' ? '.' : input.cwd,
        timeoutSeconds,
        sandbox: found.sandbox,
        environment: [
          ...Object.keys(commandEnvironment),
          ...(place.sandbox.works ? [] : [markName]),
        ],
        programs: found.programs.map((program) => ({ ...program })),
        files: kept.files.map((file) => ({ ...file })),
        runsWorkspaceCode: running.length > 0,
      },
      warnings: [
        ...sandboxWarnings(place),
        ...(running.length === 0
          ? []
          : [
              `It runs code from the workspace (${running.map(([name = '']) => shown(name)).join(', ')}): what that does is more than what is shown here.`,
            ]),
        ...secrets.map(
          ({ path }) => `It may read ${JSON.stringify(path)}, a key or environment file.`,
        ),
        ...textWarnings(text.split('\n')),
      ],
    }),
    facts: factsOf(found, context.toolHash),
    content: Buffer.from(bytes),
    contentType: 'text/plain',
    named: kept.bytes,
    proposes: new Map(),
  }
}

function sandboxWarnings({ sandbox }: CommandPlace): string[] {
  return sandbox.works
    ? []
    : [
        `It will run without a sandbox: none works on the host of this run (${sandbox.problem}). It can then read, change and send away whatever the person can who runs Countersign there, its data folder and keys included; its zones are no limit to it.`,
      ]
}

/** One word a line, numbered, so that no space can hide where one ends. */
function listed(argv: readonly string[]): string {
  return argv.map((word, index) => `${index}  ${JSON.stringify(word)}\n`).join('')
}

/** A word as a shell would need it written. */
function shown(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
