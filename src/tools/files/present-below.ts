import type { CallPresentation } from '#domain/tools/tool.ts'
import { presentStructured } from '../presentations/structured.ts'

/**
 * What a call shows that looks through a folder: its arguments, and in the title what it does to
 * which folder.
 */
export function presentBelow(
  verb: string,
  input: {
    readonly path: string
    readonly glob?: string | undefined
    readonly pattern?: string
  },
  toolHash: string,
): CallPresentation {
  return {
    title: `${verb} ${input.path === '' ? 'the workspace' : input.path}`,
    presentation: presentStructured(
      { ...input, glob: input.glob ?? null },
      { path: input.path },
      [],
    ),
    facts: { toolHash, bases: [] },
    content: Buffer.from(`${JSON.stringify(input)}\n`),
    contentType: 'text/plain',
    proposes: new Map(),
  }
}
