import type { z } from 'zod'
import { issueSentence } from './issue-sentence.ts'

/** A problem that a schema found: of zod, or of another library by the Standard Schema. */
interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * One sentence for each problem, with the field it is about. Problems of zod are worded as the API
 * words them, those of other libraries by the library; what is absent is missing, not of a wrong
 * type.
 */
export function issueSentences(issues: readonly SchemaIssue[]): string[] {
  return issues.map((issue) => {
    const { message, path = [] } = issue
    const names = path.map((part) => String(typeof part === 'object' ? part.key : part))
    const sentence = isOfZod(issue) ? issueSentence(issue) : message
    if (names.length === 0) return sentence
    const isAbsent = message.endsWith('received undefined')
    return `${names.join('.')}: ${isAbsent ? 'is missing' : sentence}`
  })
}

/** Others may have a code too: `issueSentence` looks for zod's words before it reads more. */
function isOfZod(issue: SchemaIssue): issue is z.core.$ZodIssue {
  return 'code' in issue
}

/** Whether a value is a list of problems. */
export function isIssues(value: unknown): value is readonly SchemaIssue[] {
  return Array.isArray(value) && value.length > 0 && value.every(isIssue)
}

function isIssue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('message' in value)) return false
  const hasPath = 'path' in value && value.path !== undefined
  return typeof value.message === 'string' && (!hasPath || Array.isArray(value.path))
}
