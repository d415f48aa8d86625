/** A program by its key and the owner of the key. */
export interface NamedProgram {
  readonly key: { readonly name: string }
  readonly owner: { readonly name: string }
}

/** A program within a sentence; its name, which others chose, is quoted. Pure. */
export function programWords({ key, owner }: NamedProgram): string {
  return `${owner.name}'s program “${key.name}”`
}
