import type { z } from 'zod'

type Issue = z.core.$ZodIssue

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

/** What is wrong with a field, as words that complete its name; a schema's own words are kept. */
export function issueSentence(issue: Issue): string {
  const { message } = issue
  if (message.startsWith('Invalid input: expected') && issue.code === 'invalid_type') {
    // A missing value is reported as missing, and not as one of the wrong type.
    if (message.endsWith('received undefined')) return 'is missing'
    return `must be ${kinds[issue.expected] ?? issue.expected}`
  }
  if (message.startsWith('Invalid') && issue.code === 'invalid_value') {
    return `must be ${listOf(issue.values.map(String))}`
  }
  if (message === 'Invalid input' && issue.code === 'invalid_union') {
    return sentenceOfUnion(issue) ?? message
  }
  if (message.startsWith('Invalid email') && issue.code === 'invalid_format') {
    return 'must be an e-mail address'
  }
  if (message.startsWith('Too small') && issue.code === 'too_small') {
    if (issue.minimum === 1 && issue.origin !== 'number') return 'must not be empty'
    return `must ${boundOf(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`
  }
  if (message.startsWith('Too big') && issue.code === 'too_big') {
    return `must ${boundOf(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`
  }
  return message
}

/** What each form of a union demands of the value; `null`: none says it. Zod 3 has no `errors`. */
function sentenceOfUnion({
  errors = [],
}: {
  readonly errors?: readonly (readonly Issue[])[]
}): string | null {
  const sentences = errors.map((issues) => issues.map(sentenceInForm).join(', '))
  if (sentences.includes('is missing')) return 'is missing'
  return sentences.length === 0 ? null : [...new Set(sentences)].join(', or ')
}

function sentenceInForm(issue: Issue): string {
  const field = issue.path.map(String).join('.')
  return field === '' ? issueSentence(issue) : `${field}: ${issueSentence(issue)}`
}

function boundOf({ origin }: { readonly origin: string }, words: string, bound: number | bigint) {
  if (origin === 'string') return `have ${words} ${bound} characters`
  return origin === 'array' || origin === 'set'
    ? `have ${words} ${bound} entries`
    : `be ${words} ${bound}`
}

function listOf(values: readonly string[]): string {
  const last = values.at(-1) ?? ''
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`
}
