import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * What axe finds wrong in a page: each rule with where and why. `tags` limits the rules. A page has
 * one frame, which is examined without the search for others; what is right is not listed. Both
 * together take a third of the processor time.
 */
export async function axeProblems(page: Page, tags: readonly string[] = []): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('the page has frames that are not examined')
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] })
  const { violations } = await (tags.length === 0 ? axe : axe.withTags([...tags])).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}\n${failureSummary}`),
  )
}

/**
 * The same in the light and in the dark scheme. The page changes its scheme with the system's,
 * without being loaded again.
 */
export async function axeProblemsInBothSchemes(
  page: Page,
  tags: readonly string[] = [],
): Promise<string[]> {
  const problems: string[] = []
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
    for (const problem of await axeProblems(page, tags)) problems.push(`${scheme} ${problem}`)
  }
  return problems
}
