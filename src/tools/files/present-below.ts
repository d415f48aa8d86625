import type { CallPresentation } from '#domain/tools/tool.ts'
import { presentStructured } from '../presentations/structured.ts'

/**
 * The presentation of a call that searches a folder: its arguments, with the operation and the
 * folder in the title.
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
  }
}
