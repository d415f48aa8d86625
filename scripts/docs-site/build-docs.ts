import type { Plugin } from 'vite'
import { readPages, readPictures, type Page } from './documents.ts'
import { pageHtml } from './page-html.ts'
import { readStyles } from './style-sheet.ts'

/**
 * Builds `docs/` beside the dashboard: each page as HTML and as the Markdown that it is,
 * `llms.txt` and `llms-full.txt`.
 */
export function buildDocs(): Plugin {
  return {
    name: 'countersign:docs',
    apply: 'build',
    async generateBundle(_options, bundle) {
      // The font files of the dashboard, so that a reader of both loads them once.
      const addressOf = (font: string): string => {
        const start = `assets/${font.replace(/\.woff2$/, '')}-`
        const name = Object.keys(bundle).find((one) => one.startsWith(start))
        if (name === undefined) throw new Error(`The dashboard has no font ${font}`)
        return `/${name}`
      }
      for (const [fileName, source] of await docsFiles(addressOf)) {
        this.emitFile({ type: 'asset', fileName, source })
      }
    },
  }
}

/**
 * Every file of the documentation, by its path in the built dashboard. `addressOf` says where a
 * font is served, by its file name.
 */
export async function docsFiles(
  addressOf: (fontFile: string) => string,
): Promise<Map<string, string | Uint8Array>> {
  const [pages, { sheet, fonts }] = await Promise.all([readPages(), readStyles(addressOf)])
  const files = new Map<string, string | Uint8Array>([
    ['llms.txt', llmsText(pages)],
    ['llms-full.txt', llmsFullText(pages)],
    ['docs/docs.css', sheet],
  ])
  for (const page of pages) {
    files.set(`docs/${page.name}.html`, pageHtml(page, pages, fonts))
    files.set(`docs/${page.name}.md`, page.text)
  }
  for (const [name, bytes] of await readPictures()) files.set(`docs/${name}`, bytes)
  return files
}

const summary =
  'A durable service in which AI agents’ risky tool calls wait until a different person has approved exactly what will run.'

/** `llms.txt` (llmstxt.org): a list of the pages in Markdown, with a line about each. */
function llmsText(pages: readonly Page[]): string {
  const line = ({ name, title, summary: about }: Page) =>
    `- [${title}](/docs/${name}.md)${about === '' ? '' : `: ${firstSentence(about)}`}`
  const own = pages.filter(({ name }) => !name.startsWith('decisions') && name !== 'index')
  const decisions = pages.filter(({ name }) => name.startsWith('decisions'))
  return [
    `# Countersign\n\n> ${summary}`,
    'A model never decides. Nothing that an agent can call approves, lists other people’s requests or changes policy.',
    `## Docs\n\n${own.map(line).join('\n')}`,
    '## API\n\n- [OpenAPI document](/openapi.json): every route with its schemas and examples',
    `## Optional\n\n${decisions.map(line).join('\n')}`,
  ]
    .join('\n\n')
    .concat('\n')
}

/** `llms-full.txt`: every page, one after the other. */
function llmsFullText(pages: readonly Page[]): string {
  return pages.map(({ name, text }) => `<!-- /docs/${name}.md -->\n\n${text.trim()}\n`).join('\n')
}

function firstSentence(text: string): string {
  const [sentence = text] = /^.*?[.:](?=\s|$)/.exec(text) ?? []
  return sentence.replace(/:$/, '.')
}
