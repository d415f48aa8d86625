import { posix } from 'node:path'
import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { nameOf, type Page } from './documents.ts'

const markdown = { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] }

/**
 * A page as HTML without scripts and inline styles. What is written as HTML in the page, and
 * addresses that are not of the web, are shown as text and never become markup. The browser loads
 * the fonts beside the style sheet, so that no text moves when they arrive.
 */
export function pageHtml(page: Page, pages: readonly Page[], fonts: readonly string[]): string {
  const names = new Set(pages.map(({ name }) => name))
  const html = openToKeyboards(nameHeadings(micromark(page.text, markdown)))
  const body = resolveLinks(html, page, names)
  const list = pages
    .filter(({ name }) => !name.includes('/'))
    .map(
      ({ name, title }) =>
        `<li><a href="${addressOf(name)}"${name === page.name ? ' aria-current="page"' : ''}>${escape(title)}</a></li>`,
    )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(page.title)} – Countersign</title>
<link rel="icon" href="/favicon.svg">
${fonts.map((font) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${font}">`).join('\n')}
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<header><a href="/"><img src="/favicon.svg" width="24" height="24" alt="">Countersign</a> <a href="/docs">Documentation</a> <a href="/openapi.json">OpenAPI</a></header>
<div class="columns">
<main>
${body}
</main>
<nav aria-label="Pages"><ul>
${list.join('\n')}
</ul></nav>
</div>
</body>
</html>
`
}

/** Where a page is served. */
function addressOf(name: string): string {
  return name === 'index' ? '/docs' : `/docs/${name}`
}

/** Headings get the names that links in the pages use, as GitHub gives them. */
function nameHeadings(html: string): string {
  const seen = new Map<string, number>()
  return html.replaceAll(/<(h[1-6])>(.*?)<\/\1>/gs, (_all, tag: string, content: string) => {
    const name = headingName(content)
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    return `<${tag} id="${count === 0 ? name : `${name}-${count}`}">${content}</${tag}>`
  })
}

function headingName(html: string): string {
  const text = html.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;/g, '')
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** Content that is wider than the page can be scrolled, with the keyboard too. */
function openToKeyboards(html: string): string {
  return html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
}

/**
 * Links to pages get the addresses of the pages. Links to other files of the repository become
 * text.
 */
function resolveLinks(html: string, page: Page, names: ReadonlySet<string>): string {
  const folder = page.name.startsWith('decisions') ? 'decisions' : ''
  const linked = html.replaceAll(
    /<a href="([^"]*)">(.*?)<\/a>/gs,
    (all, href: string, content: string) => {
      if (href.startsWith('https:') || href.startsWith('#')) return all
      const [path = '', anchor] = href.split('#')
      const name = nameOf(posix.normalize(posix.join(folder, path)))
      if (!path.endsWith('.md') || !names.has(name)) return content
      return `<a href="${addressOf(name)}${anchor === undefined ? '' : `#${anchor}`}">${content}</a>`
    },
  )
  return linked.replaceAll(/<img src="([\w-]+\.png)"/g, '<img src="/docs/$1"')
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
