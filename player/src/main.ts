// The entry point of the page.

import { Board } from "./board";
import { onDrop } from "./files";
import { onKeys } from "./keys";
import { GoalDialog } from "./goal_dialog";
import { follow } from "./live";
import { Playground } from "./playground";
import { View } from "./view";

const board = new Board();
const playground = Playground.of(board);
new View(board, playground);
if (playground) new GoalDialog(board, playground);
onKeys(board, playground);
onDrop((files) => void board.take(files));
board.begin();
follow(board);
playground?.begin();
