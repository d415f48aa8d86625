import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ui = join(import.meta.dirname, '..')
const read = (name: string): string => readFileSync(join(ui, name), 'utf8')

/** The value of a custom property in one scheme of the style sheet. */
function colourOf(name: string, scheme: 'light' | 'dark'): string | undefined {
  const [, block = ''] = read('styles/theme.css').split(`color-scheme='${scheme}'] {`)
  return new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1]
}

test('what is drawn before or without the style sheet has its colours: the bar of the browser, the installed app, the icon', () => {
  for (const scheme of ['light', 'dark'] as const) {
    const bar = new RegExp(`content="(.*)" media="\\(prefers-color-scheme: ${scheme}\\)"`)
    expect(bar.exec(read('index.html'))?.[1], scheme).toBe(colourOf('bg', scheme))
  }
  expect(JSON.parse(read('public/manifest.webmanifest'))).toMatchObject({
    background_color: colourOf('bg', 'light'),
    theme_color: colourOf('accent', 'light'),
  })
  expect(read('public/favicon.svg')).toContain(`fill="${colourOf('accent', 'light')}"`)
})
