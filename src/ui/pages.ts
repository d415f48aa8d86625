import { matchPath } from 'react-router'
import { laterPage, type LaterPage } from './states/later.tsx'

/** The pages with a script of their own, by path; of two that match, the first one counts. */
export const pages = {
  '/requests/:id': laterPage(() =>
    import('./request/request-page.tsx').then((module) => module.RequestPage),
  ),
  '/runs': laterPage(() => import('./runs/list/runs-page.tsx').then((module) => module.RunsPage)),
  '/runs/new': laterPage(() =>
    import('./runs/start/new-run-page.tsx').then((module) => module.NewRunPage),
  ),
  '/runs/:id': laterPage(() => import('./runs/page/run-page.tsx').then((module) => module.RunPage)),
  '/runs/:id/fork': laterPage(() =>
    import('./runs/fork/fork-page.tsx').then((module) => module.ForkPage),
  ),
  '/runs/:id/turns/:n': laterPage(() =>
    import('./change-set/change-set-page.tsx').then((module) => module.ChangeSetPage),
  ),
  '/insights': laterPage(() =>
    import('./insights/insights-page.tsx').then((module) => module.InsightsPage),
  ),
  '/audit': laterPage(() => import('./audit/audit-page.tsx').then((module) => module.AuditPage)),
  '/policy': laterPage(() =>
    import('./policy/policy-page.tsx').then((module) => module.PolicyPage),
  ),
  '/account': laterPage(() =>
    import('./account/account-page.tsx').then((module) => module.AccountPage),
  ),
} as const satisfies Readonly<Record<string, LaterPage>>

/** Begins to load the script of a page; settles at once for pages without one of their own. */
export async function fetchPage(pathname: string): Promise<unknown> {
  const match = Object.entries(pages).find(([path]) => matchPath(path, pathname) !== null)
  return match?.[1].fetch()
}
