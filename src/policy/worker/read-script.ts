import type { Script, ScriptTurn } from '../script.ts'
import { openYaml } from '../reading/open-yaml.ts'
import { Report } from '../reading/report.ts'
import { readFields, readJson, scalarOf, wrong, type YamlField } from '../reading/yaml-field.ts'
import { readAnyText, readList } from '../reading/values.ts'
import { keysOf } from '../schema/parts.ts'
import { scriptCall, scriptFileSchema, scriptTurn } from '../schema/script-file.ts'

/** Reads a script, reporting everything that is wrong with it. */
export function readScript(report: Report, file: string, text: string): Script {
  const root = openYaml(report, file, text)
  const fields = root === null ? null : readFields(root, keysOf(scriptFileSchema))
  if (root === null || fields === null) return { turns: [] }
  const turns = fields.getNeeded('turns', 'list what the model says, turn by turn')
  return { turns: turns === null ? [] : readList(turns, readTurn) }
}

/** Parses a script that was valid when its policy version was activated. Throws when it is not. */
export function parseScript(text: string): Script {
  const report = new Report()
  const script = readScript(report, 'script', text)
  const first = report.all()[0]
  if (report.hasErrors) throw new SyntaxError(first?.problem ?? 'The script is not valid')
  return script
}

function readTurn(field: YamlField): ScriptTurn | null {
  const fields = readFields(field, keysOf(scriptTurn))
  if (fields === null) return null
  const text = fields.get('text')
  if (text !== null && typeof scalarOf(text) !== 'string') readAnyText(text)
  const scalar = text === null ? '' : scalarOf(text)
  return {
    text: typeof scalar === 'string' ? scalar : '',
    calls: fields.read('calls', (at) => readList(at, readCall), []),
  }
}

function readCall(field: YamlField): ScriptTurn['calls'][number] | null {
  const fields = readFields(field, keysOf(scriptCall))
  if (fields === null) return null
  const toolField = fields.get('tool')
  if (toolField === null) {
    wrong(field, 'names no "tool"', 'write `{ tool: read_file, input: { path: notes/a.md } }`')
    return null
  }
  const tool = readAnyText(toolField)
  if (tool === null) return null
  return {
    tool,
    input: fields.read('input', readJson, {}),
    id: fields.read('id', readAnyText, null),
  }
}
