/**
 * A path of our own pages to go on to, or `/`: nothing that a browser could read as another place, as `//host`,
 * `/\host` or an address, and no route of the API.
 */
export function localPath(given: string | undefined, publicUrl: string): string {
  if (given === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given)) return '/'
  const url = URL.canParse(given, publicUrl) ? new URL(given, publicUrl) : null
  const isOurs = url !== null && url.origin === new URL(publicUrl).origin
  return isOurs && !url.pathname.startsWith('/v1/') ? url.pathname + url.search : '/'
}
