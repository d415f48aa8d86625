import { LineCounter, parseDocument } from 'yaml'
import type { Report } from './report.ts'
import type { Source, Spot } from './spot.ts'

/** A configuration file is never larger; a bound against accidents. */
const mostCharacters = 1024 * 1024

/**
 * Parses YAML and returns its root, or `null` after reporting every syntax error. Lines are those of `text`,
 * so front matter is passed with the lines before it left blank.
 */
export function openYaml(report: Report, file: string, text: string): Spot | null {
  if (text.length > mostCharacters) {
    report.error({ file, line: null }, 'the file is over 1 MiB', 'keep configuration files small')
    return null
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  for (const error of document.errors) {
    const { line } = lines.linePos(error.pos[0])
    report.error({ file, line }, `not valid YAML: ${error.message}`, yamlRemedy(error.code))
  }
  for (const warning of document.warnings) {
    const { line } = lines.linePos(warning.pos[0])
    report.error({ file, line }, warning.message, 'remove the tag')
  }
  if (document.errors.length > 0 || document.warnings.length > 0) return null
  const source: Source = { file, report, document, lines }
  return { source, node: document.contents, at: '', line: 1 }
}

function yamlRemedy(code: string): string {
  if (code === 'DUPLICATE_KEY') return 'give each key once'
  return 'correct the syntax; quote texts with special characters'
}
