/** Paths with a page of the dashboard (src/ui/app.tsx), which reports other ones itself. */
const pages =
  /^\/(?:sign-in|requests\/[^/]+|runs(?:\/[^/]+(?:\/fork|\/turns\/[^/]+)?)?|insights|audit|policy|account)?\/?$/

/**
 * Whether a path is that of a page of the dashboard, and not of the API, a sign-in at a provider,
 * the documentation or a file. Pure.
 */
export function isDashboardPage(pathname: string): boolean {
  return pages.test(pathname)
}
