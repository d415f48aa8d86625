import { looks } from './confusables.ts'

let table: ReadonlyMap<string, string> | null = null

/** The ASCII text that another character looks like, or `null`. */
export function asciiLook(character: string): string | null {
  table ??= readLooks()
  return table.get(character) ?? null
}

function readLooks(): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const [look, steps] of looks) {
    let code = 0
    for (const step of steps.split(' ')) {
      code += Number.parseInt(step, 36)
      all.set(String.fromCodePoint(code), look)
    }
  }
  return all
}
