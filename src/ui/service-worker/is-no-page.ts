/**
 * Addresses of this origin that are no page of the dashboard: the API, sign-ins at a provider, the
 * documentation, and files.
 */
const noPages = /^\/(?:v1|docs|schemas)(?:\/|$)|^\/(?:healthz|readyz|metrics)$|\.\w+$/

/** Whether the page of the dashboard is not what an address answers. Pure. */
export function isNoPage(pathname: string): boolean {
  return noPages.test(pathname)
}
