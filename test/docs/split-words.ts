const word = /"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)'|(?<plain>[^\s"']+)/g

/**
 * Words of a command line in a document, quotes taken off. What a shell would substitute stays as
 * it is written.
 */
export function splitWords(line: string): string[] {
  return [...line.matchAll(word)].map(
    ({ groups }) => groups?.['double'] ?? groups?.['single'] ?? groups?.['plain'] ?? '',
  )
}
