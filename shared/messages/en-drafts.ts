/** English: drafts of files. Texts of look.md sections 9 and 13. */
export const EN_DRAFTS = {
  'drafts.crumb': 'Drafts',
  'drafts.title':
    '{count, plural, =0 {No drafts} =1 {One draft} =2 {Two drafts} =3 {Three drafts} =4 {Four drafts} =5 {Five drafts} other {# drafts}}',
  'drafts.unfit': '{count, plural, one {one is out of date} other {# are out of date}}',
  'drafts.unfitAlone': 'One draft is out of date',
  'drafts.sub':
    '{name} staged {count, plural, one {this change} other {these changes}}. The files in {folder} stay as they are until you apply a draft.',
  'drafts.none':
    'No staged changes. An agent with drafts enabled stages its changes here instead of writing to your files.',
  'drafts.promoteFitting':
    '{count, plural, one {Apply the up-to-date draft} other {Apply # up-to-date drafts}}',
  'drafts.changed': 'The file has changed since the draft was created.',
  'drafts.takesOut':
    '{file} was changed at {time}, but not by this draft. {count, plural, =0 {Applying the draft replaces it.} one {Applying the draft removes # newer line.} other {Applying the draft removes # newer lines.}}',
  'drafts.takenIn':
    '{file} was changed at {time}, but not by this draft. The draft already includes that change.',
  'drafts.list': 'Drafts',
  'drafts.pane': 'Difference',
  'drafts.state.ready': 'ready',
  'drafts.state.in_sync': 'identical to the file',
  'drafts.state.draft_missing': 'draft missing',
  'drafts.state.substrate_missing': 'file missing',
  'drafts.state.changed': 'out of date',
  'drafts.state.promoting': 'being applied',
  'drafts.edited': 'draft edited manually',
  'drafts.newFile': 'new file',
  'drafts.sums': '+{added} −{removed}',
  'drafts.nothing': 'nothing to apply',
  'drafts.wrap': 'Wrap lines',
  'drafts.view': 'Compare',
  'drafts.view.two': 'Draft and file',
  'drafts.view.three': 'All three',
  'drafts.layout': 'Layout',
  'drafts.layout.unified': 'Unified',
  'drafts.layout.split': 'Side by side',
  'drafts.hunk.new': 'new lines',
  'drafts.hunk.line': 'line {first}',
  'inbox.drafts': 'Drafts to review',
  'inbox.drafts.of':
    '{count, plural, one {{name} has a draft for you} other {{name} has # drafts for you}}',
  'inbox.drafts.about':
    'From the session “{title}”. The files stay as they are until you apply a draft.',
  'inbox.drafts.more': '{count, plural, one {# more file} other {# more files}}',
  'inbox.drafts.review': '{count, plural, one {Review the draft} other {Review # drafts}}',
  'approval.drafts': 'Drafts',
  'drafts.hunk.apply': 'Apply',
  'drafts.hunk.applyOf': 'Apply change {number} of {count}',
  'drafts.hunk.discard': 'Discard',
  'drafts.hunk.discardOf': 'Discard change {number} of {count}',
  'drafts.ask.hunk': 'Discard change {number} of {count} from the draft? {file} stays as it is.',
  'drafts.said.hunk.apply': 'Change applied to {file}. The other changes stay in the draft.',
  'drafts.said.hunk.discard': 'Change discarded. {file} stays as it is.',
  'drafts.said.part': 'Some changes applied to {file}. The others stay in the draft.',
  'drafts.said.removed': '{file} is removed, and its draft is staged again.',
  'drafts.ask.removeNew':
    'Remove {file}, if nothing has changed it since? Its content becomes a draft again.',
  'drafts.ask.yesRemoveNew': 'Remove the file',
  'drafts.hunk.lines': 'lines {first} to {last}',
  'drafts.newerHead':
    '{count, plural, one {Changed in the folder at {time}. This line is not in the draft.} other {Changed in the folder at {time}. These # lines are not in the draft.}}',
  'drafts.lineCut': 'Line shortened.',
  'drafts.isCut': 'Not everything is shown: {file} has too many changed lines.',
  'drafts.isCoarse':
    'Too different to compare line by line: everything in between is shown as replaced.',
  'drafts.baseMissing':
    'The version that the draft was based on is no longer saved: newer lines are not marked.',
  'drafts.kind.text': 'The draft is identical to the file.',
  'drafts.kind.binary': 'Binary file, not shown.',
  'drafts.kind.too_large': 'Too large to compare.',
  'drafts.kind.missing':
    'Nothing to compare: the draft no longer exists on disk. The file is unchanged.',
  'drafts.mark.same': 'unchanged',
  'drafts.mark.removed': 'removed',
  'drafts.mark.added': 'added',
  'drafts.mark.newer': 'newer, removed',
  'drafts.mark.revived': 'restored',
  'drafts.promote': 'Apply draft',
  'drafts.promoteOver':
    '{count, plural, =0 {Apply over the changed file} one {Apply, replaces # newer line} other {Apply, replaces # newer lines}}',
  'drafts.fit': 'Ask {name} to update the draft',
  'drafts.fit.asked': '{name} is working on it',
  'drafts.fit.text':
    'Update your draft of {file} to the file as it is now. The file was changed at {time}, after your draft was created and not by it. Lines with ≠ were added to the file since then and are not in your draft; lines with ~ were removed from the file since then and are still in your draft; - is otherwise only in the file, + only in your draft.',
  'drafts.fit.cut': 'More has changed than is shown here.',
  'drafts.fit.wish':
    'read_file shows your draft, not the file. Write {file} again so that it contains your own change and the changes made meanwhile. If both can’t be combined, leave the draft as it is and explain why.',
  'drafts.discard': 'Discard draft',
  'drafts.keptNote': 'The old file is saved.',
  'drafts.newNote': 'The file doesn’t exist yet.',
  'drafts.ask.promote': 'Replace the current {file} with the draft? The current version is saved.',
  'drafts.ask.discard': 'Discard this draft? {file} stays as it is.',
  'drafts.ask.yesPromote': 'Replace the file',
  'drafts.ask.yesDiscard': 'Discard',
  'drafts.ask.no': 'Keep',
  'drafts.promoted': 'Applied',
  'drafts.restore': 'Undo apply',
  'drafts.ask.restore':
    'Restore {file} to its version before the draft? This works only if nothing has changed it since. The current version is saved.',
  'drafts.ask.yesRestore': 'Restore',
  'drafts.said.asked': '{name} is updating the draft of {file}. The result appears here.',
  'drafts.said.restored': '{file} is restored to its version before the draft.',
  'drafts.said.promoted': 'Draft applied to {file}.',
  'drafts.said.settled': '{file} already has this content.',
  'drafts.said.discarded': 'Draft of {file} discarded.',
  'drafts.aside':
    '{count, plural, one {# draft needs your review} other {# drafts need your review}}',
} as const;
