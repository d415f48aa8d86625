import { z } from 'zod'
import { errorMessage } from '#domain/error-message.ts'
import { compileGlob } from '#policy/globs/compile-glob.ts'
import { compilePattern } from './search/patterns.ts'

/**
 * A regular expression from a model. RE2 matches in time proportional to the text. It refuses what
 * it cannot match in that time: look-around and back-references (security.md 27).
 */
export const searchPattern = z
  .string()
  .min(1)
  .max(1000)
  .superRefine((pattern, context) => {
    try {
      compilePattern(pattern)
    } catch (error) {
      const why = errorMessage(error)
      context.addIssue({
        code: 'custom',
        message:
          `This is no regular expression (${why}). Escape what is meant literally with a back-slash; there is no ` +
          'look-around and no back-reference.',
      })
    }
  })
  .describe(
    'Regular expression (RE2 syntax: no look-around, no back-references), matched line by line.',
  )

const maxGlobCharacters = 256

/** An optional glob over paths in the folder; one without `/` is for names. */
export const globField = z
  .string()
  .min(1)
  .max(maxGlobCharacters)
  .refine((glob) => !/[\p{Cc}]/u.test(glob), { message: 'The glob has a control character.' })
  .superRefine((glob, context) => {
    const compiled = compileGlob(glob, { byName: true })
    if (!compiled.ok) {
      context.addIssue({ code: 'custom', message: `The glob cannot be read: ${compiled.problem}.` })
    }
  })
  .optional()
  .describe('Only paths that match, such as *.md or docs/**/*.ts.')
