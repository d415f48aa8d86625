import { z } from 'zod'
import { parsePath } from '#sandbox/path-names.ts'

function canonicalPath(meaning: string, rootAllowed: boolean) {
  return z
    .string()
    .describe(meaning)
    .transform((text, context) => {
      const parsed = parsePath(text)
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem })
      else if (parsed.path === '' && !rootAllowed) {
        context.addIssue({ code: 'custom', message: 'The path of a file is required.' })
      }
      return parsed.ok ? parsed.path : text
    })
}

/** Path of a file: relative to the workspace root, in its canonical spelling afterwards. */
export const filePath = (meaning: string) => canonicalPath(meaning, false)

/** Path of a folder; `''` is the workspace root. */
export const folderPath = (meaning: string) => canonicalPath(meaning, true)
