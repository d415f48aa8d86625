import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { docsFiles } from './build-docs.ts'
import { pageHtml } from './page-html.ts'
import { tokensFor } from './style-sheet.ts'

const files = await docsFiles((font) => `/assets/${font}`)

function textOf(name: string): string {
  const file = files.get(name)
  if (typeof file !== 'string') throw new Error(`${name} is not built`)
  return file
}

const pages = [...files.keys()].filter((name) => name.endsWith('.html'))

test('every link within the documentation leads to a page, and to a heading that it has', () => {
  const broken: string[] = []
  for (const page of pages) {
    for (const [, path = '', anchor] of textOf(page).matchAll(
      /href="\/docs([^"#]*)(?:#([^"]*))?"/g,
    )) {
      if (path.endsWith('.css')) continue
      const target = files.get(`docs${path === '' ? '/index' : path}.html`)
      const isThere = typeof target === 'string'
      const has = anchor === undefined || (isThere && target.includes(`id="${anchor}"`))
      if (!isThere || !has) broken.push(`${page}: ${path}#${anchor ?? ''}`)
    }
    for (const [, anchor] of textOf(page).matchAll(/href="#([^"]*)"/g)) {
      if (!textOf(page).includes(`id="${anchor}"`)) broken.push(`${page}: #${anchor}`)
    }
  }
  expect(pages.length).toBeGreaterThan(40)
  expect(broken).toEqual([])
})

test('llms.txt names every page with a line about it, and each of its addresses is served', () => {
  const text = textOf('llms.txt')
  const paths = [...text.matchAll(/\]\(\/(docs\/[^)]+\.md)\): \S/g)].map(([, path]) => path ?? '')
  const own = [...files.keys()].filter((name) => name.endsWith('.md') && name !== 'docs/index.md')
  expect(paths.toSorted()).toEqual(own.toSorted())
  expect(text).toMatch(/^# Countersign\n\n> \S/)
  for (const name of own) expect(textOf('llms-full.txt')).toContain(textOf(name).trim())
})

test('markup and addresses that a page contains as text never become part of it', () => {
  const text = [
    '# <img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '[go](javascript:alert(1)) [out](../../etc/passwd.md) ![p](data:text/html,x)',
    '| a |\n|---|\n| <b onclick=x>b</b> |',
  ].join('\n\n')
  const html = pageHtml({ name: 'hostile', title: '<script>"', summary: '', text }, [], [])
  expect(html).not.toMatch(/<script|<img src=x|<b |javascript:|data:|passwd/)
  for (const page of pages) expect(textOf(page)).not.toMatch(/<script|<style| style=| on\w+="/)
})

test('the pages have the colours and fonts of the dashboard and none of their own', async () => {
  const own = await readFile(join(import.meta.dirname, 'docs.css'), 'utf8')
  expect(own).not.toMatch(/#[\da-f]{3,8}\b|rgb|hsl|oklch|light-dark|color-mix|serif|mono\w*,/i)
  const theme = `:root { --face: 'A', serif; --mono: var(--face); --other: 1px; }
:root[data-mantine-color-scheme='light'] { color-scheme: light; --bg: #fff; --high: red; }
:root[data-mantine-color-scheme='dark'] { --bg: #000; --high: pink; }
:root[data-mantine-color-scheme] { --bg: blue; }`
  expect(tokensFor('a { color: var(--bg); font: var(--mono) }', theme)).toBe(`:root {
  --face: 'A', serif;
  --mono: var(--face);
  --bg: #fff;
}
@media (prefers-color-scheme: dark) {
:root {
  --bg: #000;
}
}
`)
  expect(() => tokensFor('a { color: var(--new) }', theme)).toThrow('theme.css has no --new')
  const sheet = textOf('docs/docs.css')
  const fonts = [...sheet.matchAll(/url\('([^']*)'\)/g)].map(([, address]) => address)
  expect(fonts).toHaveLength(2)
  for (const page of pages) {
    for (const font of fonts) expect(textOf(page)).toContain(`crossorigin href="${font}"`)
  }
})
