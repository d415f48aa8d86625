/** Letters as which a digit or another letter of a tool's name can be read. */
const readAs = new Map([...'0o1ili5s3e7t9g6g'.matchAll(/(.)(.)/g)].map(([, one, as]) => [one, as]))

/**
 * Whether a tool has a name that the gateway could use itself. No server's tool is offered or
 * called under such a name, since it could be mistaken for the gateway's own.
 */
export function isReservedName(tool: string): boolean {
  const letters = [...tool.toLowerCase()].map((letter) => readAs.get(letter) ?? letter)
  return /countersign(?!al)/.test(letters.join('').replaceAll(/[^a-z]/g, ''))
}
