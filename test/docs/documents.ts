import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const checkout = fileURLToPath(new URL('../..', import.meta.url))

export interface Fence {
  readonly language: string
  readonly text: string
}

export interface Document {
  /** relative to the checkout */
  readonly path: string
  readonly text: string
  readonly fences: readonly Fence[]
  /** the text without its fences */
  readonly prose: string
}

const fence = /^```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm

/** The pages for users: README.md and docs/*.md. */
export async function userDocuments(): Promise<Document[]> {
  const names = (await readdir(join(checkout, 'docs'))).filter((name) => name.endsWith('.md'))
  return Promise.all(['README.md', ...names.map((name) => `docs/${name}`)].map(readDocument))
}

export async function readDocument(path: string): Promise<Document> {
  const text = await readFile(join(checkout, path), 'utf8')
  const fences = [...text.matchAll(fence)].map(({ groups }) => ({
    language: groups?.['language'] ?? '',
    text: groups?.['text'] ?? '',
  }))
  return { path, text, fences, prose: text.replaceAll(fence, '') }
}

/**
 * Every `countersign …` of a page: lines of fences, and code in the text that is a whole command.
 */
export function commandsIn({ fences, prose }: Document): string[] {
  const lines = fences.flatMap(({ text }) => text.split('\n'))
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...lines, ...inline]
    .map((line) => line.trim().replace(/^bin\//, ''))
    .filter((line) => line.startsWith('countersign ') && !line.includes('…'))
}
