/**
 * The workspace of a run cannot be used until somebody corrects that: its folder is not there, for
 * example. The message is the end of a sentence about the workspace, without its full stop.
 */
export class UnusableWorkspace extends Error {}
