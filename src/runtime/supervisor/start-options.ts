export type StartOptions = {
  project?: string
  data?: string
  port?: number
  /** Open the dashboard in a browser when there is one. */
  open: boolean
}
