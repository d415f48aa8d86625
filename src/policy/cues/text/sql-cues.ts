import { oneLine } from '#domain/text/one-line.ts'
import { cueLimits, type CueSource } from '#domain/policy/cues.ts'
import { wordSet } from '#domain/text/word-set.ts'

const dropped = wordSet(
  'table database schema view index column role user sequence type tablespace',
)

/**
 * SQL in a text that removes data, or removes or changes structure: read word by word, statement by
 * statement. Pure and linear.
 */
export function destructiveSql(text: string): readonly CueSource[] {
  const cues: CueSource[] = []
  for (const statement of text.split(';')) {
    const start = statement.search(/\S/)
    if (start < 0) continue
    const body = withoutComments(statement)
    const words = body
      .toLowerCase()
      .split(/[\s(),"'`]+/)
      .filter((word) => word !== '')
    const what = kindOf(words)
    if (what === null) continue
    const says = body.trim().split('\n', 1)[0] ?? ''
    cues.push({
      id: what.id,
      text: `${what.text}: ${oneLine(body, 120)}`,
      says: says.slice(0, cueLimits.says),
    })
  }
  return cues
}

function withoutComments(statement: string): string {
  return statement
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n')
}

function kindOf(words: readonly string[]): Pick<CueSource, 'id' | 'text'> | null {
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] ?? ''
    if (word === 'drop' && dropped.has(next)) {
      return { id: 'deletes_untracked', text: `Drops a ${next} of a database` }
    }
    if (word === 'truncate' && (next === 'table' || at === 0)) {
      return { id: 'deletes_untracked', text: 'Empties a table of a database' }
    }
    if (word === 'delete' && next === 'from') {
      return { id: 'deletes_untracked', text: 'Deletes rows of a database' }
    }
    if (word === 'disable' && next === 'row') {
      return { id: 'protection_off', text: 'Switches row level security off' }
    }
    if (word === 'alter' && next === 'table' && at === 0) {
      return { id: 'touches_migrations', text: 'Changes the structure of a database' }
    }
  }
  return null
}
