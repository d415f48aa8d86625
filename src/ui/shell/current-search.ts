/**
 * The parameters of the address as it is now, for a change of some of them. A page is rendered a
 * moment after its address has changed: a change of the rendered parameters would undo another one
 * of that moment.
 */
export function currentSearch(): URLSearchParams {
  return new URLSearchParams(window.location.search)
}
