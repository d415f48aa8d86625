import { isCancel, text } from '@clack/prompts'
import type { Readable } from 'node:stream'
import type { ScopeName } from '#api/schemas/policy/grants.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence } from '#domain/deciding/alike-words.ts'
import { isConfirmed } from '../terminal/prompt-now.ts'
import { coverageText } from '../text/coverage-text.ts'
import type { Choice } from './decide.ts'

/**
 * Before "Approve for the run" this shows exactly what the approval will cover (security.md 16),
 * and asks for limits; `null` to go back.
 */
export async function askBounds(
  request: RequestDetail,
  scope: ScopeName,
  input: Readable,
): Promise<Pick<Choice, 'grant'> | null> {
  console.log(coverageText(request, scope))
  const uses = await text({
    input,
    message: 'At most how many uses? (Enter: no limit)',
    validate: (value) =>
      value === undefined || /^([1-9]\d{0,5})?$/.test(value)
        ? undefined
        : 'A whole number, 1 or more',
  })
  if (isCancel(uses)) return null
  const isSure = await isConfirmed('This approves calls that nobody has seen yet. Continue?', input)
  if (!isSure) return null
  return uses ? { grant: { uses: Number(uses) } } : {}
}

/**
 * Asks whether a call that was carried out before should run once more, which an approval at high
 * risk must say (dashboard.md, alike); `null`: it should not.
 */
export async function askAgain(
  { risk, alike }: RequestDetail,
  input: Readable,
): Promise<boolean | null> {
  const againText = againSentence(alike.again)
  if (risk !== 'high' || againText === null) return false
  return (await isConfirmed(`${againText}. Yes, again?`, input)) ? true : null
}
