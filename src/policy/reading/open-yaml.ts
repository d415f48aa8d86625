import { LineCounter, type YAMLError } from 'yaml'
import { parseYaml } from './parse-yaml.ts'
import { resolveNames } from './resolve-names.ts'
import type { Report } from './report.ts'
import type { Source, YamlField } from './yaml-field.ts'

/** No configuration file is as large as this, in characters; a larger one is refused. */
const maxCharacters = 1024 * 1024

/**
 * Parses YAML and returns its root, or `null` after reporting every syntax error. Lines are those
 * of `text`, so front matter is passed with the lines before it left blank.
 */
export function openYaml(report: Report, file: string, text: string): YamlField | null {
  if (text.length > maxCharacters) {
    report.error({ file, line: null }, 'the file is over 1 MiB', 'keep configuration files small')
    return null
  }
  const lines = new LineCounter()
  const document = parseYaml(text, lines)
  if ('tooMuch' in document) {
    const { problem, remedy } = tooMuchTexts[document.tooMuch]
    report.error({ file, line: document.line }, `not valid YAML: ${problem}`, remedy)
    return null
  }
  for (const error of document.errors) {
    const { line } = lines.linePos(error.pos[0])
    const { problem, remedy } = inWords(error)
    report.error({ file, line }, `not valid YAML: ${problem}`, remedy)
  }
  for (const warning of document.warnings) {
    const { line } = lines.linePos(warning.pos[0])
    report.error({ file, line }, warning.message, 'remove the tag')
  }
  if (document.errors.length > 0 || document.warnings.length > 0) return null
  const aliases = resolveNames(document, (offset, problem, remedy) => {
    report.error({ file, line: lines.linePos(offset).line }, `not valid YAML: ${problem}`, remedy)
  })
  if (aliases === null) return null
  const source: Source = { file, report, document, lines, aliases }
  return { source, node: document.contents, at: '', line: 1 }
}

const tooMuchTexts = {
  levels: { problem: 'it is nested over 100 levels deep', remedy: 'nest it less' },
  parts: {
    problem: 'it has over 600,000 words and marks',
    remedy: 'keep configuration files small',
  },
}

/** The parser's report for programmers as a sentence for people, with what to do. */
function inWords({ code, message }: YAMLError): {
  readonly problem: string
  readonly remedy: string
} {
  if (code === 'TAB_AS_INDENT') return { problem: message, remedy: 'indent with spaces' }
  if (code === 'MULTIPLE_DOCS') {
    return { problem: 'it holds a second document', remedy: 'remove the line `---`' }
  }
  return { problem: message, remedy: 'correct the syntax; quote texts with special characters' }
}
