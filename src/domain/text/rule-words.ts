import { valueIn } from '../json/value-in.ts'

const operations: Readonly<Record<string, string>> = {
  read: 'reading',
  write: 'writing',
  delete: 'deleting',
}

const fixed: Readonly<Record<string, string>> = {
  'default:ask': 'because no rule covers it',
  unchanged: 'because it changes nothing',
  'start:free': 'because its runs begin without approval',
  'start:worker': 'because the start of that worker needs approval',
  'worker:missing': 'because its worker is not in the policy',
  'routing:none': 'because no queue takes it',
  'external:unknown': 'because it is a tool of another program',
  'mode:strict': 'because the run asks nobody',
  'mode:approve_all': 'by the mode “Approve all”',
  'mcp:changed': "because the tool's definition changed",
  'shell:default': 'by the default rule for commands',
  'shell:none': 'because the worker has no rule for commands',
  'shell:unclear': 'because not all of the command is understood',
  'shell:piped-input': 'because it runs what it reads',
  'shell:changed-folder': 'because it can first change the settings of Git there',
  'shell:no-sandbox': 'because it has no sandbox',
  'shell:hidden-zone': 'because it could read what the worker may not read',
  'shell:too-deep': 'because the command is nested too deeply',
  'shell:too-much': 'because the command means too much',
}

/**
 * The id of a rule as the end of a sentence about a verdict: `zone:notes.write` is "by the rule for
 * writing in zone notes". Ids of later versions stay as they are. Pure.
 */
export function ruleWords(id: string): string {
  const words = valueIn(fixed, id)
  if (words !== undefined) return words
  const [, kind = '', name = ''] = /^(\w+):(.+)$/su.exec(id) ?? []
  switch (kind) {
    case 'zone':
      return zoneWords(name)
    case 'overlay':
      return `by overlay ${name}`
    case 'shell':
      return `by the rule for commands like “${name}”`
    case 'tool':
      return `by the rule for the tool ${name.split(':', 1)[0] ?? name}`
    case 'protected':
      return `because ${name} is protected`
    case 'grant':
      return 'by a remembered approval'
    case 'secret':
      return `because ${name} can hold secrets`
    default:
      return `by ${id}`
  }
}

function zoneWords(name: string): string {
  const dot = name.lastIndexOf('.')
  const operation = name.slice(dot + 1)
  const act = valueIn(operations, operation)
  return act === undefined || dot < 1
    ? `by the rule of zone ${name}`
    : `by the rule for ${act} in zone ${name.slice(0, dot)}`
}
