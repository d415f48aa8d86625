import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes `src/domain/text/look-alikes/confusables.ts` from Unicode's table of confusable characters
 * (UTS 39), in the form of the package unhomoglyph: the single characters outside of ASCII that
 * look like printable ASCII.
 */
const root = join(import.meta.dirname, '..')
const table = JSON.parse(
  await readFile(join(root, 'node_modules', 'unhomoglyph', 'data.json'), 'utf8'),
) as Record<string, string>

const byLook = new Map<string, number[]>()
for (const [character, look] of Object.entries(table)) {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80 || Array.from(character).length !== 1 || !/^[\x21-\x7e]+$/.test(look)) continue
  byLook.set(look, [...(byLook.get(look) ?? []), code])
}

const lines = [...byLook]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([look, codes]) => {
    let before = 0
    const steps = codes
      .toSorted((a, b) => a - b)
      .map((code) => {
        const step = (code - before).toString(36)
        before = code
        return step
      })
    return `  [${JSON.stringify(look)}, ${JSON.stringify(steps.join(' '))}],`
  })

await writeFile(
  join(root, 'src', 'domain', 'text', 'look-alikes', 'confusables.ts'),
  `/**
 * Characters that look like ASCII, from Unicode's table of confusables (UTS 39): the ASCII text,
 * and their code points as differences from one to the next, in base 36. Written by
 * scripts/write-confusables.ts.
 */
export const looks: readonly (readonly [look: string, steps: string])[] = [
${lines.join('\n')}
]
`,
)
