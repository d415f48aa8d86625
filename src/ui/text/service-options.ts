import { shellWord } from '#domain/tools/shell-word.ts'
import type { Me } from '#api/schemas/access/auth.ts'

/**
 * The options of a command about this service, to paste on its host: its folders, and as whom it
 * asks (`null`: it asks nobody). They are for the development profile only: otherwise the session
 * of `countersign login` is used. They name no address, because the project knows its running
 * service.
 */
export function serviceOptions(
  { installation }: Pick<Me, 'installation'>,
  email: string | null,
): string {
  const { profile, projectDir, dataDir, sample } = installation
  if (profile !== 'development') return ''
  const options = ['']
  if (email !== null) options.push('--as', shellWord(email))
  if (projectDir !== null && !sample) options.push('--project', shellWord(projectDir))
  if (dataDir !== null) options.push('--data', shellWord(dataDir))
  return options.join(' ')
}
