/** A program by its key and the owner of the key. */
export interface NamedProgram {
  readonly key: { readonly name: string }
  readonly owner: { readonly name: string }
}

/** A program within a sentence; its name, which others chose, is quoted. Pure. */
export function programWords({ key, owner }: NamedProgram): string {
  return `${owner.name}'s program “${key.name}”`
}

/** The same, and for whom it acts: "Ada's program “deployer”, on behalf of Linus". Pure. */
export function requestedByProgram(
  program: NamedProgram & { readonly onBehalfOf: { readonly name: string } | null },
): string {
  const { onBehalfOf } = program
  const whose = programWords(program)
  return onBehalfOf === null ? whose : `${whose}, on behalf of ${onBehalfOf.name}`
}
