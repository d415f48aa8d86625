import type { Page } from './documents.ts'

const summary =
  'A durable service in which AI agents’ risky tool calls wait until a different person has approved exactly what will run.'

/** `llms.txt` (llmstxt.org): a list of the pages in Markdown, with a line about each. */
export function llmsText(pages: readonly Page[]): string {
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
export function llmsFullText(pages: readonly Page[]): string {
  return pages.map(({ name, text }) => `<!-- /docs/${name}.md -->\n\n${text.trim()}\n`).join('\n')
}

function firstSentence(text: string): string {
  const [sentence = text] = /^.*?[.:](?=\s|$)/.exec(text) ?? []
  return sentence.replace(/:$/, '.')
}
