import { z } from 'zod'
import { parsePath } from '#sandbox/names/path-names.ts'

function canonicalPath(meaning: string, rootAllowed: boolean) {
  return z
    .string()
    .describe(meaning)
    .transform((text, context) => {
      const pathResult = parsePath(text)
      if (!pathResult.ok) context.addIssue({ code: 'custom', message: pathResult.problem })
      else if (pathResult.path === '' && !rootAllowed) {
        context.addIssue({ code: 'custom', message: 'The path of a file is required.' })
      }
      return pathResult.ok ? pathResult.path : text
    })
}

/** Path of a file: relative to the workspace root, in its canonical spelling afterwards. */
export const filePath = (meaning: string) => canonicalPath(meaning, false)

/** Path of a folder; `''` is the workspace root. */
export const folderPath = (meaning: string) => canonicalPath(meaning, true)
