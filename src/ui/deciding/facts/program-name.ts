import type { ExternalItemView } from '#api/schemas/requests/external-request.ts'

/** The name of a program, which is that of its key. Pure. */
export function programName({ key }: Pick<ExternalItemView, 'key'>): string {
  return key.name
}

/** The program and for whom it acts: "Ada's program deployer, on behalf of Linus". Pure. */
export function requestedByProgram(external: ExternalItemView): string {
  const { onBehalfOf, owner } = external
  const whose = `${owner.name}'s program ${programName(external)}`
  return onBehalfOf === null ? whose : `${whose}, on behalf of ${onBehalfOf.name}`
}
