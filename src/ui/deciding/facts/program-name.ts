import type { ExternalItemView } from '#api/schemas/requests/external-request.ts'
import { programWords } from '#domain/requests/program-words.ts'

/** The name of a program, which is that of its key. Pure. */
export function programName({ key }: Pick<ExternalItemView, 'key'>): string {
  return key.name
}

/** The program and for whom it acts: "Ada's program “deployer”, on behalf of Linus". Pure. */
export function requestedByProgram(external: ExternalItemView): string {
  const { onBehalfOf } = external
  const whose = programWords(external)
  return onBehalfOf === null ? whose : `${whose}, on behalf of ${onBehalfOf.name}`
}
