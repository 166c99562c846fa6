/** English: drafts of files. Texts of look.md sections 9 and 13. */
export const EN_DRAFTS = {
  'drafts.crumb': 'Drafts',
  'drafts.title':
    '{count, plural, =0 {No drafts} =1 {One draft} =2 {Two drafts} =3 {Three drafts} =4 {Four drafts} =5 {Five drafts} other {# drafts}}',
  'drafts.unfit': '{count, plural, one {one no longer fits} other {# no longer fit}}',
  'drafts.unfitAlone': 'it no longer fits',
  'drafts.sub':
    '{name} staged {count, plural, one {it} other {them}}. The files in {folder} stay as they are until you promote a draft.',
  'drafts.none':
    'Nothing is staged here. An agent with drafts writes into them instead of your files.',
  'drafts.promoteFitting':
    '{count, plural, one {Promote the one that fits} other {Promote the # that fit}}',
  'drafts.changed': 'The source changed meanwhile.',
  'drafts.takesOut':
    '{file} was written at {time}, not by this draft. {count, plural, =0 {Promoting the draft replaces it.} one {Promoting the draft takes # newer line out.} other {Promoting the draft takes # newer lines out.}}',
  'drafts.takenIn':
    '{file} was written at {time}, not by this draft. What was changed is in the draft, too.',
  'drafts.list': 'Drafts',
  'drafts.pane': 'Difference',
  'drafts.state.ready': 'ready',
  'drafts.state.in_sync': 'same as the file',
  'drafts.state.draft_missing': 'draft missing',
  'drafts.state.substrate_missing': 'file missing',
  'drafts.state.changed': 'source changed',
  'drafts.state.promoting': 'being put in place',
  'drafts.edited': 'draft edited by hand',
  'drafts.newFile': 'new file',
  'drafts.sums': '+{added} −{removed}',
  'drafts.nothing': 'nothing to promote',
  'drafts.view': 'What is compared',
  'drafts.view.two': 'Draft and file',
  'drafts.view.three': 'All three',
  'drafts.layout': 'How it is shown',
  'drafts.layout.unified': 'One column',
  'drafts.layout.split': 'Side by side',
  'drafts.hunk.new': 'new lines',
  'drafts.hunk.line': 'line {first}',
  'drafts.hunk.lines': 'lines {first} to {last}',
  'drafts.newerHead':
    '{count, plural, one {Changed in the folder at {time}. This line is not in the draft.} other {Changed in the folder at {time}. These # lines are not in the draft.}}',
  'drafts.lineCut': 'The line is longer.',
  'drafts.isCut': 'There is more than is shown here: {file} has too many changed lines.',
  'drafts.isCoarse':
    'Too different to compare line by line: everything between counts as replaced.',
  'drafts.baseMissing':
    'What the file was when the draft began is not known any more: newer lines are not marked.',
  'drafts.kind.text': 'The draft says the same as the file.',
  'drafts.kind.binary': 'This is no text and is not shown.',
  'drafts.kind.too_large': 'This is too large to compare.',
  'drafts.kind.missing':
    'There is nothing to compare: the draft is not on disk any more. The file is as it was.',
  'drafts.mark.same': 'same',
  'drafts.mark.removed': 'goes',
  'drafts.mark.added': 'comes',
  'drafts.mark.newer': 'newer, goes',
  'drafts.mark.revived': 'comes back',
  'drafts.promote': 'Promote',
  'drafts.promoteOver':
    '{count, plural, =0 {Promote over the changed file} one {Promote, replaces # newer line} other {Promote, replaces # newer lines}}',
  'drafts.fit': 'Ask {name} to fit it',
  'drafts.fit.asked': '{name} is asked',
  'drafts.fit.text':
    'Fit your draft of {file} to the file as it is now. The file was written at {time}, after the draft began and not by it. Lines with ≠ came into the file since then and are not in your draft; lines with ~ were taken out of the file since then and are still in your draft; - is otherwise only in the file, + only in your draft.',
  'drafts.fit.cut': 'More has changed than stands here.',
  'drafts.fit.wish':
    'read_file shows your draft, not the file. Write {file} again so that your own change stays and what was changed meanwhile stays, too. Where both cannot be, leave the draft as it is and say why.',
  'drafts.discard': 'Discard draft',
  'drafts.keptNote': 'The old file is kept.',
  'drafts.newNote': 'There is no file yet.',
  'drafts.ask.promote':
    'Replace {file} as it is now with the draft? The file as it is now is kept.',
  'drafts.ask.discard': 'Throw this draft away? {file} stays as it is.',
  'drafts.ask.yesPromote': 'Replace the file',
  'drafts.ask.yesDiscard': 'Throw it away',
  'drafts.ask.no': 'Leave it',
  'drafts.promoted': 'In place already',
  'drafts.restore': 'Put the old file back',
  'drafts.ask.restore':
    'Put {file} back as it was before the draft? Only if nobody has changed it since; what it is now is kept.',
  'drafts.ask.yesRestore': 'Put it back',
  'drafts.said.asked':
    '{name} is asked to fit the draft of {file}. What it makes of it stands here when it is done.',
  'drafts.said.restored': '{file} is as it was before the draft.',
  'drafts.said.promoted': '{file} is in place.',
  'drafts.said.settled': '{file} said the same already.',
  'drafts.said.discarded': 'The draft of {file} is discarded.',
  'drafts.aside': '{count, plural, one {# draft waits} other {# drafts wait}} for you',
} as const;
