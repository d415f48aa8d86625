import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { readPages, readPictures } from './documents.ts'
import { llmsFullText, llmsText } from './llms-text.ts'
import { pageHtml } from './page-html.ts'

/**
 * Builds `docs/` beside the dashboard: each page as HTML and as the Markdown that it is,
 * `llms.txt` and `llms-full.txt`.
 */
export function buildDocs(): Plugin {
  return {
    name: 'countersign:docs',
    apply: 'build',
    async generateBundle() {
      for (const [fileName, source] of await docsFiles()) {
        this.emitFile({ type: 'asset', fileName, source })
      }
    },
  }
}

/** Every file of the documentation, by its path in the built dashboard. */
export async function docsFiles(): Promise<Map<string, string | Uint8Array>> {
  const pages = await readPages()
  const files = new Map<string, string | Uint8Array>([
    ['llms.txt', llmsText(pages)],
    ['llms-full.txt', llmsFullText(pages)],
    ['docs/docs.css', await readFile(join(import.meta.dirname, 'docs.css'), 'utf8')],
  ])
  for (const page of pages) {
    files.set(`docs/${page.name}.html`, pageHtml(page, pages))
    files.set(`docs/${page.name}.md`, page.text)
  }
  for (const [name, bytes] of await readPictures()) files.set(`docs/${name}`, bytes)
  return files
}
