import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const styles = join(import.meta.dirname, '..', '..', 'src', 'ui', 'styles')

/** The style sheet of the pages, and the addresses of the fonts that it names. */
export interface PageStyles {
  readonly sheet: string
  readonly fonts: readonly string[]
}

/**
 * The look of the dashboard: its fonts, and the colours and other tokens that `docs.css` uses, in
 * the reader's scheme. `addressOf` returns the address of a font file.
 */
export async function readStyles(addressOf: (fontFile: string) => string): Promise<PageStyles> {
  const [fonts, theme, own] = await Promise.all([
    readFile(join(styles, 'fonts.css'), 'utf8'),
    readFile(join(styles, 'theme.css'), 'utf8'),
    readFile(join(import.meta.dirname, 'docs.css'), 'utf8'),
  ])
  const addresses: string[] = []
  const served = fonts.replaceAll(/url\('([^']*)'\)/g, (_all, path: string) => {
    const address = addressOf(basename(path))
    addresses.push(address)
    return `url('${address}')`
  })
  return { sheet: [served, tokensFor(own, theme), own].join('\n'), fonts: addresses }
}

/**
 * The tokens that a style sheet uses, for both schemes. The dashboard sets an attribute for the
 * scheme by script; these pages have none, and follow the system.
 */
export function tokensFor(sheet: string, theme: string): string {
  const both = tokensOf(theme, ':root')
  const light = tokensOf(theme, ":root[data-mantine-color-scheme='light']")
  const dark = tokensOf(theme, ":root[data-mantine-color-scheme='dark']")
  const names = new Set<string>()
  const use = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/var\((--[\w-]+)\)/g)) {
      if (names.has(name)) continue
      names.add(name)
      const values = both.has(name) ? [both.get(name)] : [light.get(name), dark.get(name)]
      for (const value of values) {
        if (value === undefined) throw new Error(`theme.css has no ${name} for each scheme`)
        use(value)
      }
    }
  }
  use(sheet)
  const ruleOf = (...tokens: readonly ReadonlyMap<string, string>[]): string => {
    const lines = tokens.flatMap((one) => [...one].filter(([name]) => names.has(name)))
    return `:root {\n${lines.map(([name, value]) => `  ${name}: ${value};`).join('\n')}\n}\n`
  }
  return `${ruleOf(both, light)}@media (prefers-color-scheme: dark) {\n${ruleOf(dark)}}\n`
}

/** The custom properties that the rule of exactly this selector declares. */
function tokensOf(theme: string, selector: string): ReadonlyMap<string, string> {
  const rules = theme.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{([^{}]*)\}/g)
  const bodies = [...rules].flatMap(([, name = '', body = '']) =>
    name.trim() === selector ? [body] : [],
  )
  const declarations = bodies.join('').matchAll(/(--[\w-]+):\s*([^;]+);/g)
  return new Map(Array.from(declarations, ([, name = '', value = '']) => [name, value]))
}
